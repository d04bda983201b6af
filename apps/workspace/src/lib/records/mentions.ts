/** A user with an account who can be mentioned. */
export interface Mentionable {
  readonly userId: string
  readonly name: string
}

/** A mention being typed: position of its `@`, and the text after it. */
export interface MentionStart {
  readonly at: number
  readonly typed: string
}

/** Maximum words of a name. */
const WORDS_MAX = 3
const SUGGESTED_MAX = 6

/** Returns the mention being typed before the cursor: an `@` at a word start, followed by at most three words. */
export function mentionStart(text: string, cursor: number): MentionStart | undefined {
  const [, , typed] = /(^|[\s(])@([^@\n]{0,40})$/.exec(text.slice(0, cursor)) ?? []
  if (typed === undefined || typed.startsWith(' ') || typed.split(' ').length > WORDS_MAX) return undefined
  return { at: cursor - typed.length - 1, typed }
}

/** Returns users with a name starting with the typed text, first-name matches first. */
export function suggestPeople(people: readonly Mentionable[], typed: string): readonly Mentionable[] {
  const wanted = fold(typed)
  const fits = (name: string): boolean =>
    fold(name).startsWith(wanted) ||
    fold(name)
      .split(' ')
      .some((word) => word.startsWith(wanted))
  return people
    .filter(({ name }) => fits(name))
    .toSorted(
      (a, b) =>
        Number(fold(b.name).startsWith(wanted)) - Number(fold(a.name).startsWith(wanted)) ||
        a.name.localeCompare(b.name),
    )
    .slice(0, SUGGESTED_MAX)
}

/** Replaces typed text by a mention; returns text and cursor. */
export function insertMention(
  text: string,
  { at, typed }: MentionStart,
  name: string,
): { readonly text: string; readonly cursor: number } {
  const mention = `@${name} `
  const rest = text.slice(at + 1 + typed.length)
  return { text: text.slice(0, at) + mention + rest.replace(/^ /, ''), cursor: at + mention.length }
}

/** Returns chosen users still mentioned in the text. */
export function mentionedIn(text: string, chosen: readonly Mentionable[]): readonly string[] {
  const pieces = splitMentions(
    text,
    chosen.map(({ name }) => name),
  )
  const mentioned = new Set(pieces.filter(({ isMention }) => isMention).map((piece) => piece.text))
  return [...new Set(chosen.filter(({ name }) => mentioned.has(`@${name}`)).map(({ userId }) => userId))]
}

/** Serializes chosen users for a comment draft. */
export function renderChosen(chosen: readonly Mentionable[]): string {
  return JSON.stringify(chosen)
}

/** @param text - of a draft; older app versions stored none */
export function parseChosen(text: unknown): readonly Mentionable[] {
  return typeof text === 'string' ? (JSON.parse(text) as readonly Mentionable[]) : []
}

/** Splits a text, marking mentions of these users. Matches the longest complete name: `@Anna` does not mention Ann. */
export function splitMentions(
  text: string,
  names: readonly string[],
): readonly { readonly text: string; readonly isMention: boolean }[] {
  if (names.length === 0) return [{ text, isMention: false }]
  const longestFirst = names.toSorted((a, b) => b.length - a.length).map((name) => escapeForPattern(`@${name}`))
  return text
    .split(new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`, 'v'))
    .map((piece, place) => ({ text: piece, isMention: place % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
