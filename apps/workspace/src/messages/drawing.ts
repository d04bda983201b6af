import { plural } from '../lib/format.ts'

/** Apart from the words of photos: the viewer is loaded when it opens, and these with it. */
export const drawingMessages = {
  draw: 'Draw on the photo',
  tools: 'What to draw',
  tool: { circle: 'Circle', arrow: 'Arrow', line: 'Line' },
  undo: 'Undo',
  done: 'Done',
  marks: (count: number) => `${plural(count, 'mark')} drawn on the photo`,
  change: 'drawing on the photo',
} as const
