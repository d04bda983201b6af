import { icu, inLanguages } from '../lib/texts.ts'

export const damageMessages = inLanguages('damageMessages', {
  replaced: 'The data of this device was damaged. The records come from the server again.',
  kept: (changes: number) =>
    icu(
      '{changes, plural, one {The # change that was not sent is kept.} other {The # changes that were not sent are kept.}}',
      {
        changes,
      },
    ),
  lost: 'Not everything could be read: changes or photos that were not sent may be lost. Check what you entered last.',
  save: 'Save the damaged file',
})
