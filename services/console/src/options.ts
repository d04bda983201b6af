import { flag, type OptionValues } from '@holdfast/foundation'

export const consoleOptions = {
  console: flag('Serves the console for operators at `/console`.', { default: true }),
  consoleRemote: flag(
    'Serves the console to other machines too, not only to browsers on this one. Operators sign in either way.',
    { default: false },
  ),
}

export type ConsoleOptions = OptionValues<typeof consoleOptions>
