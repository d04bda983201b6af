import type { Translation } from '../../lib/texts.ts'
import type { passwordMessages as english } from '../password.ts'

export const passwordMessages: Translation<typeof english> = {
  newPassword: 'Neues Passwort',
  show: 'Passwort zeigen',
  hide: 'Passwort verbergen',
  rulesLabel: 'Was das Passwort braucht',
  met: 'erfüllt',
  notMet: 'noch nicht erfüllt',
  missing: 'Geben Sie ein neues Passwort ein',
  notEnough: 'Dieses Passwort erfüllt noch nicht alle Punkte',
  same: 'Das ist schon Ihr Passwort. Wählen Sie ein anderes.',
  pwned: 'Dieses Passwort ist aus einem Datenleck bekannt; andere werden es versuchen. Wählen Sie ein anderes.',
  weak: 'Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.',
  rule: (rule, lengthMin) =>
    ({
      length: `Mindestens ${lengthMin} Zeichen`,
      longest: 'Höchstens 72 Byte, das sind 72 einfache Buchstaben',
      letter: 'Ein Buchstabe',
      lower: 'Ein Kleinbuchstabe',
      upper: 'Ein Großbuchstabe',
      digit: 'Eine Ziffer',
      symbol: 'Ein Sonderzeichen wie ! oder -',
    })[rule],
}
