import { icu, type Translation } from '../../lib/texts.ts'
import type { drawingMessages as english } from '../drawing.ts'

export const drawingMessages: Translation<typeof english> = {
  draw: 'Auf das Foto zeichnen',
  tools: 'Was gezeichnet wird',
  tool: { circle: 'Kreis', arrow: 'Pfeil', line: 'Linie' },
  undo: 'Rückgängig',
  done: 'Fertig',
  marks: (count) => icu('{count, plural, one {# Zeichnung} other {# Zeichnungen}} auf dem Foto', { count }),
  change: 'Zeichnung auf dem Foto',
}
