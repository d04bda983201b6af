import type { AssetKind, ItemKind, Severity, SiteKind } from '../rows.ts'

/** The finding and the action that follow from a wrong answer. */
export interface Fault {
  /** The answer that causes the finding. */
  readonly when: string
  readonly finding: string
  readonly action: string
  readonly severity: Severity
}

export interface ItemWords {
  readonly prompt: string
  readonly kind: ItemKind
  readonly required?: false
  readonly unit?: string
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
  readonly fault?: Fault
}

function yesNo(
  prompt: string,
  finding: string,
  action: string,
  severity: Severity,
  when: 'yes' | 'no' = 'no',
): ItemWords {
  return { prompt, kind: 'yes_no', fault: { when, finding, action, severity } }
}

function reading(
  prompt: string,
  unit: string,
  [min, max]: readonly [number, number],
  [finding, action, severity]: readonly [string, string, Severity],
): ItemWords {
  return { prompt, kind: 'reading', unit, min, max, fault: { when: 'out_of_range', finding, action, severity } }
}

function choice(
  prompt: string,
  choices: readonly string[],
  finding: string,
  action: string,
  severity: Severity,
): ItemWords {
  return { prompt, kind: 'choice', choices, fault: { when: choices.at(-1) ?? '', finding, action, severity } }
}

/** The last choice causes a finding. */
const SECTIONS = {
  Arrival: [
    yesNo('Is the way in clear and safe?', 'Access route obstructed', 'Clear the access route', 'medium'),
    yesNo('Are the site signs legible?', 'Safety sign missing or faded', 'Replace the safety sign', 'low'),
    { prompt: 'Weather during the visit', kind: 'choice', choices: ['Dry', 'Rain', 'Frost', 'Wind'] },
  ],
  Security: [
    yesNo('Are fence and gates undamaged?', 'Fence panel damaged', 'Repair the fence panel', 'medium'),
    yesNo('Do all locks close?', 'Padlock seized', 'Replace the padlock', 'medium'),
    yesNo(
      'Are there signs of an intruder?',
      'Signs of an intruder',
      'Report to security and check all hatches',
      'critical',
      'yes',
    ),
  ],
  Electrical: [
    yesNo('Are panel doors closed and sealed?', 'Panel door seal perished', 'Renew the panel door seal', 'medium'),
    reading(
      'Supply voltage',
      'V',
      [380, 420],
      ['Supply voltage out of range', 'Check the supply with the network operator', 'high'],
    ),
    reading('Panel temperature', '°C', [5, 45], ['Panel runs hot', 'Clean the panel fans and filters', 'medium']),
    choice('Cable condition', ['Good', 'Worn', 'Damaged'], 'Cable sheath damaged', 'Replace the damaged cable', 'high'),
  ],
  Pumps: [
    reading(
      'Vibration, drive end',
      'mm/s',
      [0, 4.5],
      ['Pump vibration high', 'Align the coupling and check the bearings', 'high'],
    ),
    reading('Bearing temperature', '°C', [10, 75], ['Bearing runs hot', 'Regrease or replace the bearing', 'high']),
    reading(
      'Delivery pressure',
      'bar',
      [3.2, 6.8],
      ['Delivery pressure out of range', 'Check impeller and non-return valve', 'medium'],
    ),
    yesNo('Is the gland free of leaks?', 'Gland leaking', 'Repack the gland', 'medium'),
    yesNo(
      'Does the standby pump start?',
      'Standby pump does not start',
      'Find and repair the starter fault',
      'critical',
    ),
    choice(
      'Running noise',
      ['Normal', 'Louder than usual', 'Grinding'],
      'Grinding noise from pump',
      'Strip the pump and replace worn parts',
      'high',
    ),
  ],
  Valves: [
    yesNo('Does the valve travel freely?', 'Valve stiff to operate', 'Free and grease the valve', 'medium'),
    yesNo('Is the spindle free of leaks?', 'Spindle weeping', 'Replace the spindle packing', 'low'),
    reading('Turns to close', 'turns', [18, 26], ['Valve does not close fully', 'Inspect the valve seat', 'high']),
    reading(
      'Downstream pressure',
      'bar',
      [1.5, 5.5],
      ['Downstream pressure out of range', 'Reset the pressure reducing valve', 'high'],
    ),
    choice(
      'Corrosion',
      ['None', 'Surface', 'Deep'],
      'Deep corrosion on valve body',
      'Plan the replacement of the valve',
      'high',
    ),
  ],
  Structure: [
    yesNo('Is the roof watertight?', 'Roof lets water in', 'Reseal the roof joint', 'high'),
    yesNo('Are vents screened against insects?', 'Vent screen torn', 'Fit a new vent screen', 'high'),
    yesNo('Are hatches sealed and locked?', 'Hatch seal perished', 'Renew the hatch seal', 'high'),
    choice(
      'Concrete condition',
      ['Sound', 'Hairline cracks', 'Spalling'],
      'Concrete spalling',
      'Break out and repair the concrete',
      'medium',
    ),
    yesNo('Is the ladder firmly fixed?', 'Ladder fixing loose', 'Refix the ladder', 'critical'),
  ],
  'Water quality': [
    reading(
      'Free chlorine',
      'mg/l',
      [0.2, 0.6],
      ['Free chlorine out of range', 'Adjust the dose and sample again', 'high'],
    ),
    reading('Turbidity', 'NTU', [0, 0.8], ['Turbidity high', 'Flush and sample again', 'high']),
    reading('pH', '', [6.8, 8.2], ['pH out of range', 'Recalibrate the probe and sample again', 'medium']),
    reading('Water temperature', '°C', [3, 19], ['Water warmer than allowed', 'Review turnover of the tank', 'low']),
    yesNo(
      'Is the sample clear and without smell?',
      'Sample with smell or colour',
      'Take a full set of samples',
      'critical',
    ),
    yesNo('Is the sample tap clean?', 'Sample tap dirty', 'Replace and disinfect the sample tap', 'low'),
  ],
  Dosing: [
    reading('Day tank level', '%', [20, 95], ['Day tank low', 'Refill the day tank', 'medium']),
    reading('Dose rate', 'l/h', [1.2, 4.8], ['Dose rate out of range', 'Recalibrate the dosing pump', 'high']),
    yesNo('Is the bund dry?', 'Chemical in the bund', 'Find the leak and empty the bund', 'critical'),
    yesNo(
      'Does the emergency shower work?',
      'Emergency shower without flow',
      'Repair the emergency shower',
      'critical',
    ),
    yesNo('Is the leak detector in date?', 'Leak detector out of date', 'Replace the leak detector cell', 'high'),
  ],
  Instruments: [
    reading(
      'Flow meter against reference',
      '%',
      [-2, 2],
      ['Flow meter drifts', 'Recalibrate the flow meter', 'medium'],
    ),
    reading(
      'Level sensor against dip',
      'cm',
      [-3, 3],
      ['Level sensor drifts', 'Recalibrate the level sensor', 'medium'],
    ),
    yesNo('Does telemetry reach the control room?', 'Telemetry lost', 'Restore the telemetry link', 'high'),
    yesNo('Is the display readable?', 'Display not readable', 'Replace the display', 'low'),
  ],
  Generator: [
    reading('Start time', 's', [1, 12], ['Generator slow to start', 'Service the starter and batteries', 'high']),
    reading('Battery voltage', 'V', [24, 28.8], ['Generator battery weak', 'Replace the batteries', 'high']),
    reading('Fuel level', '%', [40, 100], ['Fuel low', 'Refuel the generator', 'medium']),
    yesNo('Is the exhaust free of smoke?', 'Exhaust smoke', 'Service the injectors', 'medium'),
    yesNo('Is the fuel line free of leaks?', 'Fuel line leaking', 'Replace the fuel hose', 'critical'),
  ],
  Pipework: [
    yesNo('Are joints dry?', 'Flange joint weeping', 'Tighten or replace the gasket', 'medium'),
    choice('Coating', ['Intact', 'Scratched', 'Flaking'], 'Coating flaking', 'Clean and recoat the pipe', 'low'),
    yesNo('Are pipe supports sound?', 'Pipe support loose', 'Refix the pipe support', 'medium'),
    reading(
      'Static pressure',
      'bar',
      [2, 7],
      ['Static pressure out of range', 'Look for a closed valve or a burst', 'high'],
    ),
  ],
  Environment: [
    yesNo('Are drains free?', 'Drain blocked', 'Jet the drain', 'medium'),
    yesNo('Is there standing water?', 'Standing water in the yard', 'Clear the soakaway', 'low', 'yes'),
    yesNo('Is the spill kit complete?', 'Spill kit incomplete', 'Restock the spill kit', 'low'),
  ],
  Closing: [
    choice(
      'Overall condition',
      ['Good', 'Fair', 'Poor'],
      'Site in poor condition',
      'Walk the site with the supervisor',
      'medium',
    ),
    { prompt: 'Remarks', kind: 'text', required: false },
    { prompt: 'Photo before leaving', kind: 'photo', required: false },
  ],
} as const satisfies Readonly<Record<string, readonly ItemWords[]>>

export type Section = keyof typeof SECTIONS

/** Returns the questions of a section in order. */
export function sectionItems(section: Section): readonly ItemWords[] {
  return SECTIONS[section]
}

export interface TemplateWords {
  readonly name: string
  readonly frequencyDays: number
  readonly inspections: number
  readonly siteKinds: readonly SiteKind[]
  /** Set if a single asset is inspected rather than the whole site. */
  readonly assetKind?: AssetKind
  /** Sections between Arrival and Closing. */
  readonly sections: readonly Section[]
}

export const TEMPLATES: readonly TemplateWords[] = [
  {
    name: 'Pumping station, monthly',
    frequencyDays: 30,
    inspections: 300,
    siteKinds: ['pumping_station'],
    sections: ['Pumps', 'Electrical', 'Instruments'],
  },
  {
    name: 'Pumping station, grounds',
    frequencyDays: 90,
    inspections: 60,
    siteKinds: ['pumping_station'],
    sections: ['Security', 'Environment'],
  },
  {
    name: 'Reservoir, monthly',
    frequencyDays: 30,
    inspections: 190,
    siteKinds: ['reservoir'],
    sections: ['Structure', 'Water quality'],
  },
  {
    name: 'Reservoir, security and valves',
    frequencyDays: 90,
    inspections: 90,
    siteKinds: ['reservoir'],
    sections: ['Security', 'Valves'],
  },
  {
    name: 'Treatment works, weekly',
    frequencyDays: 7,
    inspections: 230,
    siteKinds: ['treatment_works'],
    sections: ['Water quality', 'Dosing', 'Instruments'],
  },
  {
    name: 'Treatment works, pipework and yard',
    frequencyDays: 60,
    inspections: 60,
    siteKinds: ['treatment_works'],
    sections: ['Environment', 'Pipework'],
  },
  {
    name: 'Valve house, quarterly',
    frequencyDays: 90,
    inspections: 160,
    siteKinds: ['valve_house'],
    sections: ['Valves', 'Pipework'],
  },
  {
    name: 'Valve house, building',
    frequencyDays: 180,
    inspections: 60,
    siteKinds: ['valve_house'],
    sections: ['Security', 'Structure'],
  },
  {
    name: 'Pump condition',
    frequencyDays: 60,
    inspections: 120,
    siteKinds: ['pumping_station', 'treatment_works'],
    assetKind: 'pump',
    sections: ['Pumps', 'Electrical'],
  },
  {
    name: 'Generator test run',
    frequencyDays: 30,
    inspections: 80,
    siteKinds: ['pumping_station', 'treatment_works'],
    assetKind: 'generator',
    sections: ['Generator', 'Electrical'],
  },
  {
    name: 'Dosing unit',
    frequencyDays: 30,
    inspections: 50,
    siteKinds: ['treatment_works', 'reservoir'],
    assetKind: 'dosing_unit',
    sections: ['Dosing'],
  },
  {
    name: 'Water quality round',
    frequencyDays: 14,
    inspections: 50,
    siteKinds: ['reservoir', 'treatment_works'],
    sections: ['Water quality'],
  },
]
