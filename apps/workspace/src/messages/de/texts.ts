import type { Translation } from '../../lib/texts.ts'
import type { textMessages as english } from '../texts.ts'

export const textMessages: Translation<typeof english> = {
  yours: 'Ihres',
  theirs: 'Das andere',
  empty: 'Leer',
  changedMeanwhile: 'Jemand hat diese Zeilen geändert, während Sie schrieben',
  changedDetail: 'Beide Texte bleiben hier, bis Sie wählen.',
  keepMine: 'Meines behalten',
  keepTheirs: 'Das andere behalten',
  keepBoth: 'Beides behalten',
}
