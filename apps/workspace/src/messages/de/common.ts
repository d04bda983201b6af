import type { Translation } from '../../lib/texts.ts'
import type { commonMessages as english } from '../common.ts'

export const commonMessages: Translation<typeof english> = {
  close: 'Schließen',
  dismiss: 'Schließen',
  cancel: 'Abbrechen',
  choose: 'Auswählen',
  loading: 'Wird geladen',
  details: 'Einzelheiten',
  clearSearch: 'Suche leeren',
  failed: 'Das hat nicht geklappt',
  failedDetail: 'Auf diesem Gerät ist nichts verloren.',
}
