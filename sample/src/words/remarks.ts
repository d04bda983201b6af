import type { Severity } from '../rows.ts'

/** Unprompted observations: title, action, severity. */
export const OBSERVATIONS: readonly (readonly [finding: string, action: string, severity: Severity])[] = [
  ['Handrail loose', 'Refix the handrail', 'high'],
  ['Chamber cover rocks', 'Reseat the chamber cover', 'medium'],
  ['Light in the dry well does not work', 'Replace the light fitting', 'medium'],
  ['Wasp nest at the door', 'Call pest control', 'low'],
  ['Overgrown path to the hatch', 'Cut back the path', 'low'],
  ['Graffiti on the kiosk', 'Clean the kiosk', 'low'],
  ['Water running at the verge', 'Trace and repair the leak', 'critical'],
  ['First-aid box empty', 'Restock the first-aid box', 'medium'],
  ['Gas detector past its test date', 'Send the gas detector for its test', 'high'],
  ['Window broken', 'Reglaze the window', 'medium'],
  ['Sump pump runs all the time', 'Replace the float switch', 'medium'],
  ['Asset label missing', 'Print and fit a new label', 'low'],
]

export const FINDING_DETAILS = [
  'Noticed on the round, photo attached.',
  'Was already marginal at the last visit.',
  'Made safe for now with tape and a note on the door.',
  'Only under load; looks fine at rest.',
  'Needs two people and a shutdown of about an hour.',
  'Spare is in the store at the depot.',
  'The same as at the neighbouring site last year.',
  'Control room informed by phone.',
] as const

export const ACTION_DETAILS = [
  'Isolate first, then lock out. Tell the control room before and after.',
  'Parts are in the depot store, second shelf.',
  'Access only before noon; the school run blocks the lane.',
  'Take photos before and after.',
  'Agree the shutdown with the supervisor.',
  'Check the neighbouring asset of the same type as well.',
] as const

export const BLOCKED_REASONS = [
  'Waiting for the spare part, four weeks.',
  'No shutdown possible before the weekend.',
  'Land owner has not agreed to the access yet.',
  'Needs a confined-space team.',
  'Waiting for the quotation.',
] as const

export const TEXT_ANSWERS = [
  'Nothing else to report.',
  'Left the site tidy, gate locked.',
  'Control room informed about the alarm test.',
  'Bring longer hoses next time.',
  'Path was slippery; grit bin is empty.',
  'Met the farmer, the track is closed on Friday.',
] as const

export const WEATHERS = ['Dry', 'Dry', 'Overcast', 'Light rain', 'Heavy rain', 'Frost', 'Windy'] as const

export const PHOTO_CAPTIONS = [
  'Overview',
  'Close-up',
  'Name plate',
  'Before',
  'After',
  'Reading on the display',
  'From the access side',
] as const

export const COMMENTS = {
  actions: [
    'Part ordered, should be here on Thursday.',
    'Can we move this to next week? The lane is closed.',
    'Done this morning. Photos are on the finding.',
    'Please look at the second pump as well while you are there.',
    'Shutdown agreed with the control room for Tuesday 10:00.',
    'Took longer than planned: the bolts had to be cut.',
    'Who has the key for the inner gate?',
    'I checked it on site, looks good to me.',
    'The new gasket is a different type; data sheet follows.',
    'Waiting for the landowner to answer.',
    'Temporary repair holds. Permanent one is planned.',
    'Cost is higher than estimated because of the crane.',
    'Sent back: the label is still missing.',
    'Ready to verify.',
  ],
  findings: [
    'Same fault as in spring, I think.',
    'Made safe for now.',
    'Is this a duplicate of the one from last month?',
    'Control room confirms the alarm at 06:40.',
    'I would raise the severity: the walkway is used daily.',
    'Checked again today, no change.',
    'The picture does not show the flange. Can you take another one?',
    'Agreed, one action is enough for both.',
  ],
  inspections: [
    'Please take the calibrated gauge with you.',
    'Looks complete, thank you.',
    'Reading of the second meter is missing a decimal, I think.',
    'Moved by a day because of the weather.',
    'Well documented.',
    'Please add a photo of the new seal next time.',
  ],
} as const

export const REPLIES = [
  'Thanks, noted.',
  'Will do.',
  'Yes, the same.',
  'Not yet, tomorrow.',
  'Agreed.',
  'I have the key.',
  'Done.',
  'Let us talk on the phone.',
] as const
