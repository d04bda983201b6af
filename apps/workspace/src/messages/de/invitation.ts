import type { Translation } from '../../lib/texts.ts'
import type { invitationMessages as english } from '../invitation.ts'

export const invitationMessages: Translation<typeof english> = {
  loading: 'Ihre Einladung wird geöffnet',
  failed: 'Ihre Einladung konnte nicht geöffnet werden',
  title: (workspace) => `${workspace} beitreten`,
  from: (inviter) => `${inviter} lädt Sie ein.`,
  fromNobody: 'Sie sind eingeladen.',
  as: (role) =>
    ({
      guest: 'Als Gast sehen Sie, was mit Ihnen geteilt wird.',
      viewer: 'Sie können lesen.',
      commenter: 'Sie können lesen und kommentieren.',
      editor: 'Sie können lesen, kommentieren und Einträge ändern.',
      admin: 'Sie verwalten den Arbeitsbereich mit.',
      owner: 'Sie leiten den Arbeitsbereich zusammen mit anderen.',
    })[role] ?? role,
  team: (team) => `Team: ${team}`,
  until: (day) => `Ihr Zugang endet am ${day}.`,
  forAddress: (email) => `Diese Einladung ist für ${email}.`,
  join: 'Konto anlegen und beitreten',
  nameMissing: 'Geben Sie Ihren Namen ein',
  signIn: 'Zum Beitreten anmelden',
  accept: 'Beitreten',
  decline: 'Ablehnen',
  wrongAccount: (email) => `Sie sind als ${email} angemeldet`,
  wrongAccountDetail: (email) =>
    `Beitreten kann nur ${email}. Melden Sie sich in Ihrem Konto ab und öffnen Sie den Link noch einmal.`,
  otherAccount: 'Diese Einladung ist für eine andere Adresse',
  otherAccountDetail:
    'Melden Sie sich mit der Adresse an, an die die E-Mail ging, und öffnen Sie den Link noch einmal.',
  toAccount: 'Mein Konto öffnen',
  home: 'Zur Startseite',
  tryAgain: 'Noch einmal versuchen',
  gone: 'Dieser Link führt zu keiner Einladung',
  goneDetail: 'Eine neuere E-Mail hat einen neueren Link. Gibt es keine, bitten Sie noch einmal um eine Einladung.',
  expired: 'Diese Einladung ist abgelaufen',
  revoked: 'Diese Einladung wurde zurückgezogen',
  over: (inviter) => (inviter === undefined ? 'Bitten Sie um eine neue.' : `Bitten Sie ${inviter} um eine neue.`),
  declined: 'Sie haben diese Einladung abgelehnt',
  used: 'Diese Einladung wurde schon benutzt',
  usedDetail: 'Wenn Sie das waren, melden Sie sich an.',
  unconfirmed: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse',
  unconfirmedDetail:
    'Melden Sie sich mit einem Code an, den wir an diese Adresse senden, und öffnen Sie den Link noch einmal.',
  full: 'Dieses Konto ist in so vielen Arbeitsbereichen, wie es sein kann',
  fullDetail: 'Verlassen Sie einen, den Sie nicht mehr brauchen, und öffnen Sie den Link noch einmal.',
  tooMany: 'Zu viele Versuche',
  tooManyDetail: 'Öffnen Sie den Link in einer Stunde noch einmal.',
  offline: 'Zum Beitreten brauchen Sie eine Verbindung.',
}
