import { HoldfastError } from '@holdfast/foundation'
import { nearest } from '../config/names.ts'
import { optionGroups, TOPICS } from '../config/options.ts'
import { printOptions, printReference } from '../config/print-reference.ts'
import type { CommandInput } from './command.ts'
import { type CommandEntry, COMMON_OPTIONS } from './commands/entry.ts'

/**
 * `holdfast options [topic]`: lists the server options.
 *
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid` for an unknown topic
 */
export function listOptions({ words: [topic], flags, out }: CommandInput, commands: readonly CommandEntry[]): number {
  if (flags['markdown'] === true) {
    out(printReference(commands, COMMON_OPTIONS))
    return 0
  }
  const groups = topic === undefined ? optionGroups : [groupOf(topic)]
  out(printOptions(groups))
  return 0
}

function groupOf(topic: string): (typeof optionGroups)[number] {
  const group = optionGroups.find((one) => one.topic === topic)
  if (group) return group
  const meant = nearest(topic, TOPICS)
  throw new HoldfastError('option_invalid', 500, `"${topic}" is not a topic.`, {
    hint: meant ? `Did you mean "holdfast options ${meant}"?` : `Topics: ${TOPICS.join(', ')}.`,
  })
}
