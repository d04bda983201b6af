import type { Translation } from '../../lib/texts.ts'
import type { languageMessages as english } from '../language.ts'

export const languageMessages: Translation<typeof english> = {
  title: 'Sprache',
  detail: 'Die App wird in der gewählten Sprache neu geladen. Was Sie eingegeben haben, bleibt.',
  failed:
    'Die Texte dieser Sprache konnten nicht geladen werden. Prüfen Sie die Verbindung und wählen Sie sie noch einmal.',
}
