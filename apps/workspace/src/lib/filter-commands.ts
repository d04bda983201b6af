/** An action or destination in the command palette. */
export interface Command {
  readonly id: string
  readonly label: string
  /** Additional search words. */
  readonly keywords?: string
  readonly section: string
}

/**
 * Returns matching commands, best first: every typed word must start a word of label or keywords. Label prefixes rank before other label matches, then
 * keywords. Empty text matches all in the given order.
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
