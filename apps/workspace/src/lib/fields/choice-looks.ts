import type { ChoiceWords } from '../data/column-words.ts'
import { pageLocale } from '../language.ts'
import { calmColourAt, type PaletteColour, paletteOf } from '../palette.ts'

export type ChoiceGlyph = 'empty' | 'quarter' | 'half' | 'full' | 'check' | 'bar' | 'cross' | 'dot'

export interface ChoiceLooks {
  readonly colour: PaletteColour
  readonly glyph: ChoiceGlyph
}

/** Words common in lifecycles and scales, in their usual order; others are derived from the word. */
const KNOWN: Readonly<Record<string, ChoiceLooks>> = {
  open: { colour: 'blue', glyph: 'empty' },
  new: { colour: 'blue', glyph: 'empty' },
  todo: { colour: 'blue', glyph: 'empty' },
  draft: { colour: 'slate', glyph: 'empty' },
  scheduled: { colour: 'slate', glyph: 'empty' },
  planned: { colour: 'slate', glyph: 'empty' },
  standby: { colour: 'amber', glyph: 'quarter' },
  doing: { colour: 'violet', glyph: 'half' },
  in_progress: { colour: 'violet', glyph: 'half' },
  blocked: { colour: 'coral', glyph: 'bar' },
  active: { colour: 'green', glyph: 'full' },
  submitted: { colour: 'amber', glyph: 'full' },
  to_verify: { colour: 'amber', glyph: 'full' },
  review: { colour: 'amber', glyph: 'full' },
  mitigated: { colour: 'teal', glyph: 'half' },
  returned: { colour: 'coral', glyph: 'quarter' },
  done: { colour: 'green', glyph: 'check' },
  verified: { colour: 'green', glyph: 'check' },
  approved: { colour: 'green', glyph: 'check' },
  closed: { colour: 'green', glyph: 'check' },
  dropped: { colour: 'slate', glyph: 'cross' },
  cancelled: { colour: 'slate', glyph: 'cross' },
  decommissioned: { colour: 'slate', glyph: 'cross' },
  duplicate: { colour: 'slate', glyph: 'cross' },
  low: { colour: 'slate', glyph: 'quarter' },
  medium: { colour: 'amber', glyph: 'half' },
  high: { colour: 'coral', glyph: 'full' },
  critical: { colour: 'pink', glyph: 'bar' },
}

/** Further words for them, in English and German. */
const ALIASES: Readonly<Record<string, string>> = {
  offen: 'open',
  neu: 'new',
  to_do: 'todo',
  geplant: 'planned',
  in_arbeit: 'doing',
  in_bearbeitung: 'doing',
  aktiv: 'active',
  blockiert: 'blocked',
  completed: 'done',
  finished: 'done',
  resolved: 'done',
  erledigt: 'done',
  fertig: 'done',
  abgeschlossen: 'closed',
  geschlossen: 'closed',
  geprüft: 'verified',
  genehmigt: 'approved',
  canceled: 'cancelled',
  abgesagt: 'cancelled',
  storniert: 'cancelled',
  verworfen: 'dropped',
  niedrig: 'low',
  mittel: 'medium',
  hoch: 'high',
  urgent: 'critical',
  dringend: 'critical',
  kritisch: 'critical',
}

function knownWord(choice: string): string {
  const word = choice.trim().toLowerCase().replaceAll(' ', '_')
  return ALIASES[word] ?? word
}

/** Sorts choices as work proceeds or weight grows, if all are known words; otherwise by their letters and numbers. */
export function inUsualOrder(choices: readonly string[]): readonly string[] {
  const places = new Map(Object.keys(KNOWN).map((word, at) => [word, at]))
  const placeOf = (choice: string): number => places.get(knownWord(choice)) ?? -1
  if (choices.every((choice) => placeOf(choice) >= 0)) return choices.toSorted((a, b) => placeOf(a) - placeOf(b))
  return choices.toSorted(new Intl.Collator(pageLocale(), { numeric: true }).compare)
}

/**
 * Returns a choice's colour and shape, equal on all devices.
 *
 * @param among - all choices of its field: those without a known word get different colours in turn
 * @param colours - set for the field's choices
 */
export function choiceLooks(
  choice: string,
  among: readonly string[] = [],
  colours?: ChoiceWords['colours'],
): ChoiceLooks {
  const guess = KNOWN[knownWord(choice)] ?? {
    colour: calmColourAt(among.indexOf(choice)) ?? paletteOf(choice),
    glyph: 'dot',
  }
  const colour = colours?.get(choice)
  return colour ? { ...guess, colour } : guess
}
