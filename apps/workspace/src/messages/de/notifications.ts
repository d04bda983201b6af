import type { Translation } from '../../lib/texts.ts'
import type { notificationMessages as english } from '../notifications.ts'

export const notificationMessages: Translation<typeof english> = {
  title: 'Benachrichtigungen',
  lead: 'Auf diesem Gerät, auch wenn die App geschlossen ist: wenn jemand Sie erwähnt, Ihnen antwortet oder Ihnen Arbeit zuweist.',
  switchLabel: 'Benachrichtigungen auf diesem Gerät',
  on: 'An',
  off: 'Aus',
  unsupported: 'Dieser Browser kennt keine Benachrichtigungen von Web-Apps.',
  unsupportedIos:
    'Fügen Sie die App auf einem iPhone oder iPad zuerst zum Home-Bildschirm hinzu und öffnen Sie sie von dort.',
  notServed: 'Dieser Server sendet keine Benachrichtigungen.',
  denied:
    'Benachrichtigungen sind für diese Seite gesperrt. Erlauben Sie sie in den Einstellungen des Browsers und kommen Sie dann hierher zurück.',
  offline: 'Sie sind offline. Das lässt sich ändern, sobald die Verbindung wieder da ist.',
  expired: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an, um das zu ändern.',
  dismissed: 'Der Browser durfte keine Benachrichtigungen zeigen, deshalb bleiben sie aus.',
  failed: 'Das ließ sich nicht ändern. Versuchen Sie es gleich noch einmal.',
  failedService: 'Der Browser hat seinen Push-Dienst nicht erreicht. Benachrichtigungen bleiben aus.',
  mailLabel: 'Tägliche Mail',
  mailDetail:
    'Am Morgen, wenn in Ihrem Posteingang etwas neu ist: Erwähnungen, Arbeit, die Ihnen zugewiesen oder fällig ist.',
  mailNoMember: 'Eine tägliche Mail bekommt, wer zu einem Arbeitsbereich gehört; Sie gehören zu keinem.',
  mailNotRead: 'Ob Sie die tägliche Mail bekommen, konnte nicht vom Server gelesen werden.',
  privacy:
    'Was sie sagen, ist für dieses Gerät verschlüsselt. Der Push-Dienst des Browsers stellt es zu und kann es nicht lesen.',
}
