import type { SettingSources } from '@holdfast/console'
import { listSettings } from '../config/list-settings.ts'
import { optionGroups } from '../config/options.ts'
import type { PartContext } from './part-context.ts'

/** Returns what the console shows of the server's options. */
export function createSettingSources({ config, origins }: PartContext): SettingSources {
  return {
    listSettings: () => listSettings(optionGroups, config, origins),
    configFile: config.configFile,
  }
}
