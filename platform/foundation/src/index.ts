export {
  backoffMs,
  canonicalJson,
  errorMessage,
  isRecord,
  type JsonObject,
  parseJson,
  parseRecord,
} from '@holdfast/protocol'
export { createBatcher } from './admission/batcher.ts'
export { Semaphore, type GroupLimits, type Release } from './admission/semaphore.ts'
export { Tally } from './admission/tally.ts'
export { HoldfastError, errorCause, refusal, type ErrorExtras } from './errors.ts'
export { assert, defined, unreachable } from './assert.ts'
export { silentLogger, type Logger, type LogLevel } from './logger.ts'
export { limitRepeats } from './limit-repeats.ts'
export { systemClock, type Clock } from './clock.ts'
export { parseDotenv } from './dotenv.ts'
export { nextTurn } from './next-turn.ts'
export {
  flag,
  integer,
  list,
  settings,
  text,
  type FlagOption,
  type IntegerOption,
  type ListOption,
  type OptionDeclaration,
  type OptionDeclarations,
  type OptionValues,
  type SettingsOption,
  type TextOption,
} from './options.ts'
export { createPhases, type Phases } from './phases.ts'
export { delay, outwait } from './retry.ts'
