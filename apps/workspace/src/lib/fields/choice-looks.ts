import { type PaletteColour, paletteOf } from '../palette.ts'

export type ChoiceGlyph = 'empty' | 'quarter' | 'half' | 'full' | 'check' | 'bar' | 'cross' | 'dot'

export interface ChoiceLooks {
  readonly colour: PaletteColour
  readonly glyph: ChoiceGlyph
}

/** Words common in lifecycles; others are derived from the word. */
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
  active: { colour: 'green', glyph: 'full' },
  submitted: { colour: 'amber', glyph: 'full' },
  to_verify: { colour: 'amber', glyph: 'full' },
  review: { colour: 'amber', glyph: 'full' },
  mitigated: { colour: 'teal', glyph: 'half' },
  returned: { colour: 'coral', glyph: 'quarter' },
  blocked: { colour: 'coral', glyph: 'bar' },
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

/** Returns a choice's colour and shape, equal on all devices and tables. */
export function choiceLooks(choice: string): ChoiceLooks {
  return KNOWN[choice] ?? { colour: paletteOf(choice), glyph: 'dot' }
}
