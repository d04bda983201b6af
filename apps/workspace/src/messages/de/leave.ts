import type { Translation } from '../../lib/texts.ts'
import type { leaveMessages as english } from '../leave.ts'

export const leaveMessages: Translation<typeof english> = {
  title: 'Änderungen verwerfen?',
  detail: 'Ihre Änderungen sind nicht gespeichert.',
  stay: 'Weiter bearbeiten',
  discard: 'Änderungen verwerfen',
}
