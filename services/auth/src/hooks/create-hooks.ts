import { assert } from '@holdfast/foundation'
import type { AuthOptions } from '../options/auth-options.ts'
import type { Hooks } from './hooks.ts'

export function createHooks(options: AuthOptions): Hooks {
  assert(options.hookCustomAccessTokenUri === undefined, 'there are no hooks yet')
  return { has: () => false, run: async () => undefined }
}
