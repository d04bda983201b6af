/** Something the command palette can do or open. */
export interface Command {
  readonly id: string
  readonly label: string
  /** Other words that find it. */
  readonly keywords?: string
  readonly section: string
}

/**
 * The commands that fit what was typed, best first: every typed word has to begin a word of the label or the keywords.
 * A label that begins with the text comes before one that has it further in, and that before a keyword. An empty text
 * fits everything, in the given order.
 */
export function filterCommands<C extends Command>(commands: readonly C[], text: string): readonly C[] {
  const typed = words(text)
  if (typed.length === 0) return commands
  const scored: { readonly command: C; readonly score: number; readonly order: number }[] = []
  commands.forEach((command, order) => {
    const score = scoreOf(command, typed)
    if (score !== undefined) scored.push({ command, score, order })
  })
  return scored.sort((a, b) => a.score - b.score || a.order - b.order).map(({ command }) => command)
}

function scoreOf(command: Command, typed: readonly string[]): number | undefined {
  const label = words(command.label)
  const keywords = words(command.keywords ?? '')
  let score = 0
  for (const word of typed) {
    const at = label.findIndex((candidate) => candidate.startsWith(word))
    if (at >= 0) score += at
    else if (keywords.some((candidate) => candidate.startsWith(word))) score += 100
    else return undefined
  }
  return score
}

function words(text: string): readonly string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== '')
}
