import { inLanguages } from '../lib/texts.ts'

/** Two versions of a long text. */
export const textMessages = inLanguages('textMessages', {
  yours: 'Yours',
  theirs: 'Theirs',
  empty: 'Empty',
  changedMeanwhile: 'Someone changed these lines while you were writing',
  changedDetail: 'Both texts are kept here until you choose.',
  keepMine: 'Keep mine',
  keepTheirs: 'Keep theirs',
  keepBoth: 'Keep both',
})
