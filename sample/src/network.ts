import { assert, defined } from '@holdfast/foundation'
import type { Calendar } from './calendar.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { AssetRow, RegionRow, SiteRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import { ACCESS_NOTES, MAKERS, PLACES, REGIONS, SITE_FORMS, STREETS } from './words/places.ts'

export interface Network {
  readonly sites: readonly SiteRow[]
  readonly assets: readonly AssetRow[]
}

/** Generates the regions' sites and their equipment. */
export function generateNetwork(seed: number, calendar: Calendar, regions: readonly RegionRow[]): Network {
  const random = createRandom(seed, 'network')
  const born = { created_at: calendar.moment(-425, 540), updated_at: calendar.moment(-425, 540) }
  const sites = generateSites(seed, random, regions, born)
  const counts = apportion(
    SIZES.assets,
    sites.map((site) => formOf(site).assetWeight),
  )
  const assets: AssetRow[] = []
  sites.forEach((site, index) => {
    addAssets({ seed, random, calendar, site, count: counts[index] ?? 0, born, assets })
  })
  return { sites, assets }
}

interface Born {
  readonly created_at: string
  readonly updated_at: string
}

function generateSites(seed: number, random: Random, regions: readonly RegionRow[], born: Born): SiteRow[] {
  const forms = random.shuffle(SITE_FORMS.flatMap((form) => Array.from({ length: form.sites }, () => form)))
  const places = random.shuffle(PLACES)
  const sites: SiteRow[] = []
  REGIONS.forEach((words, regionIndex) => {
    const region = defined(regions[regionIndex], 'each region has a row')
    for (let ordinal = 1; ordinal <= words.sites; ordinal++) {
      const form = defined(forms[sites.length], 'there is a form for each site')
      const place = defined(places[sites.length], 'there is a place for each site')
      sites.push({
        id: createId(seed, 'sites', sites.length),
        region_id: region.id,
        name: `${place} ${form.noun}`,
        code: `${words.code}-${form.code}-${String(ordinal).padStart(2, '0')}`,
        kind: form.kind,
        address: `${random.pick(STREETS)}, ${place}`,
        lat: round(words.lat + (random.fraction() - 0.5) * 0.5, 5),
        lon: round(words.lon + (random.fraction() - 0.5) * 0.8, 5),
        access_notes: random.chance(0.7) ? random.pick(ACCESS_NOTES) : null,
        hazard_level: form.kind === 'treatment_works' ? random.integer(1, 3) : random.integer(0, 2),
        status: siteStatus(sites.length),
        ...born,
      })
    }
  })
  assert(sites.length === SIZES.sites, 'the regions share out all sites')
  return sites
}

/** Four decommissioned, the first of them in the North; seven on standby. */
function siteStatus(index: number): SiteRow['status'] {
  if (index % 21 === 13) return 'decommissioned'
  return index % 10 === 6 ? 'standby' : 'active'
}

function addAssets(input: {
  readonly seed: number
  readonly random: Random
  readonly calendar: Calendar
  readonly site: SiteRow
  readonly count: number
  readonly born: Born
  readonly assets: AssetRow[]
}): void {
  const { seed, random, calendar, site, count, born, assets } = input
  const blueprint = formOf(site).assets
  let pumpId: string | null = null
  for (let index = 0; index < count; index++) {
    const [name, kind, criticality] = defined(blueprint[index % blueprint.length], 'a blueprint is not empty')
    const [manufacturer, model] = random.pick(MAKERS[kind])
    const id = createId(seed, 'assets', assets.length)
    const tag = `${site.code}-${String(index + 1).padStart(2, '0')}`
    assets.push({
      id,
      site_id: site.id,
      parent_asset_id: kind === 'motor' ? pumpId : null,
      tag,
      name: `${name} ${Math.floor(index / blueprint.length) + 1}`,
      kind,
      manufacturer,
      model: `${model}-${random.integer(10, 95) * 10}`,
      serial_no: `${model}${random.integer(100_000, 999_999)}`,
      installed_on: calendar.day(-random.integer(500, 9_000)),
      criticality,
      qr_code: `NLW:${tag}`,
      ...born,
    })
    if (kind === 'pump') pumpId = id
  }
}

function formOf(site: SiteRow): (typeof SITE_FORMS)[number] {
  return defined(
    SITE_FORMS.find((form) => form.kind === site.kind),
    'each kind of site has a form',
  )
}

/** Distributes `total` in proportion to `weights`, in whole numbers with that sum. */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((left, right) => left + right, 0)
  let given = 0
  let passed = 0
  return weights.map((weight) => {
    passed += weight
    const share = Math.round((total * passed) / sum) - given
    given += share
    return share
  })
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
