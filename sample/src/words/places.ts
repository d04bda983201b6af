import type { AssetKind, SiteKind } from '../rows.ts'

/** The regions with their number of sites and centre. */
export const REGIONS = [
  { name: 'North', code: 'N', sites: 20, lat: 54.95, lon: -2.1 },
  { name: 'East', code: 'E', sites: 16, lat: 54.2, lon: -0.7 },
  { name: 'South', code: 'S', sites: 18, lat: 53.5, lon: -1.6 },
  { name: 'West', code: 'W', sites: 14, lat: 54.2, lon: -3.0 },
  { name: 'Central', code: 'C', sites: 16, lat: 54.1, lon: -1.8 },
] as const

/** One name per site. */
export const PLACES: readonly string[] = `
  Alderbrook Ashcombe Barrowdale Beckfoot Birkmoor Blackrigg Bramley-Edge Brackenhope Burnside Caldbeck
  Carrow-Hill Castlemere Coldstream-Lane Copley Cragside Crossgill Deepdale Dunmore Easterby Eldon-Bank
  Ellerton Fallowfield Fellgate Fernhill Flaxby Foxholes Garthdale Gillside Glenmoor Greyfriars
  Hallbeck Harewell Hawthorn-Rise Hazelrigg Heatherley Highmoor Hollin-Wood Hopewell Ingleby Ironbridge-Road
  Keldhead Kirkstone Lambsgate Langthwaite Larkfield Lindale Lowmill Maltby Marrick Meadowbank
  Millthorpe Moorside Netherby Newlands Northcote Oakenshaw Orchard-Lane Overdale Pennyhill Quarry-Bank
  Ravensworth Redmire Ridley Rosedale Rushmere Saltersgate Sandwick Scarfell Seaton Selside
  Skelbrooke Stainmore Stonegrave Swinhope Tarnbrook Thornthwaite Thwaite-Head Underbank Waterhead Wellgate
  Westerdale Whinfell Whitcliffe Yarrowby
`
  .trim()
  .split(/\s+/)
  .map((name) => name.replaceAll('-', ' '))

export const STREETS = [
  'Mill Lane',
  'Station Road',
  'Reservoir Road',
  'Moor Lane',
  'Church Bank',
  'Quarry Road',
  'Beck Side',
  'High Street',
] as const

export const ACCESS_NOTES = [
  'Key safe left of the gate. Ring the control room before you open the hatch.',
  'Farm track: close both gates. No signal in the valve chamber.',
  'Confined space below ground. Two people, gas detector, rescue tripod.',
  'Park in the lay-by; the yard floods after heavy rain.',
  'Guard dog at the neighbouring yard. Alarm code from the control room.',
  'Chlorine store on site: read the wind sock before you go in.',
  'Steep steps to the dry well. Lights are on the left behind the door.',
] as const

interface SiteForm {
  readonly kind: SiteKind
  readonly code: string
  readonly noun: string
  readonly sites: number
  /** Relative number of assets of such a site. */
  readonly assetWeight: number
  /** Used in order, then again with the next number. A motor belongs to the pump before it. */
  readonly assets: readonly (readonly [name: string, kind: AssetKind, criticality: 'A' | 'B' | 'C'])[]
}

export const SITE_FORMS: readonly SiteForm[] = [
  {
    kind: 'pumping_station',
    code: 'PS',
    noun: 'Pumping Station',
    sites: 34,
    assetWeight: 16,
    assets: [
      ['Control panel', 'control_panel', 'A'],
      ['Duty pump', 'pump', 'A'],
      ['Duty pump motor', 'motor', 'A'],
      ['Suction valve', 'valve', 'B'],
      ['Delivery valve', 'valve', 'B'],
      ['Flow meter', 'sensor', 'B'],
      ['Pressure transmitter', 'sensor', 'C'],
      ['Delivery main', 'pipework', 'A'],
      ['Standby generator', 'generator', 'B'],
    ],
  },
  {
    kind: 'reservoir',
    code: 'SR',
    noun: 'Reservoir',
    sites: 20,
    assetWeight: 12,
    assets: [
      ['Storage tank', 'tank', 'A'],
      ['Inlet valve', 'valve', 'A'],
      ['Outlet valve', 'valve', 'A'],
      ['Level sensor', 'sensor', 'B'],
      ['Chlorine analyser', 'sensor', 'B'],
      ['Booster dosing unit', 'dosing_unit', 'B'],
      ['Overflow pipe', 'pipework', 'C'],
      ['Telemetry panel', 'control_panel', 'C'],
    ],
  },
  {
    kind: 'treatment_works',
    code: 'TW',
    noun: 'Treatment Works',
    sites: 10,
    assetWeight: 26,
    assets: [
      ['Main control panel', 'control_panel', 'A'],
      ['Raw water pump', 'pump', 'A'],
      ['Raw water pump motor', 'motor', 'A'],
      ['Rapid gravity filter', 'filter', 'A'],
      ['Backwash pump', 'pump', 'B'],
      ['Backwash pump motor', 'motor', 'B'],
      ['Chlorine dosing unit', 'dosing_unit', 'A'],
      ['Coagulant dosing unit', 'dosing_unit', 'A'],
      ['Turbidity meter', 'sensor', 'A'],
      ['Contact tank', 'tank', 'A'],
      ['Filter outlet valve', 'valve', 'B'],
      ['Standby generator', 'generator', 'B'],
    ],
  },
  {
    kind: 'valve_house',
    code: 'VH',
    noun: 'Valve House',
    sites: 20,
    assetWeight: 11,
    assets: [
      ['Line valve', 'valve', 'A'],
      ['Pressure reducing valve', 'valve', 'A'],
      ['Air valve', 'valve', 'C'],
      ['Bypass pipework', 'pipework', 'B'],
      ['Pressure logger', 'sensor', 'C'],
      ['Actuator panel', 'control_panel', 'B'],
    ],
  },
]

/** Manufacturers per asset kind, with the prefix of their model numbers. */
export const MAKERS: Readonly<Record<AssetKind, readonly (readonly [maker: string, model: string])[]>> = {
  pump: [
    ['Halden', 'HX'],
    ['Norvik Pumps', 'NV'],
    ['Weston & Clay', 'WC'],
  ],
  motor: [
    ['Kestrel Drives', 'KD'],
    ['Elmore', 'EM'],
  ],
  valve: [
    ['Brandt Valves', 'BV'],
    ['Ironmill', 'IM'],
    ['Talbot', 'TG'],
  ],
  tank: [['Northline', 'RC']],
  filter: [
    ['Clearbed', 'RG'],
    ['Sandhurst', 'SF'],
  ],
  dosing_unit: [
    ['Torrent', 'TD'],
    ['Micrametric', 'MM'],
  ],
  sensor: [
    ['Sondera', 'SX'],
    ['Fluxmark', 'FM'],
    ['Optiq', 'OQ'],
  ],
  control_panel: [
    ['Hartley', 'CP'],
    ['Voltaris', 'VP'],
  ],
  generator: [
    ['Granger', 'GD'],
    ['Power North', 'PN'],
  ],
  pipework: [['Northline', 'DI']],
}
