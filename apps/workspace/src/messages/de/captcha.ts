import type { Translation } from '../../lib/texts.ts'
import type { captchaMessages as english } from '../captcha.ts'

export const captchaMessages: Translation<typeof english> = {
  title: 'Bestätigen Sie, dass Sie ein Mensch sind',
  lead: 'Dieser Server prüft das kurz, bevor es weitergeht.',
  frame: 'Prüfung gegen Bots',
  loading: 'Die Prüfung wird geladen',
  notLoaded: 'Die Prüfung konnte nicht geladen werden',
  notLoadedDetail: 'Prüfen Sie Ihre Verbindung, und erlauben Sie diese Seite in Ihrem Werbeblocker.',
  tryAgain: 'Noch einmal versuchen',
}
