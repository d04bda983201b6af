import { icu, inLanguages } from '../lib/texts.ts'

/** Separate from the photo texts, because they load with the viewer. */
export const drawingMessages = inLanguages('drawingMessages', {
  draw: 'Draw on the photo',
  tools: 'What to draw',
  tool: { circle: 'Circle', arrow: 'Arrow', line: 'Line' },
  undo: 'Undo',
  done: 'Done',
  marks: (count: number) => icu('{count, plural, one {# mark} other {# marks}} drawn on the photo', { count }),
  change: 'drawing on the photo',
})
