import { formatCount } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { syncMenuMessages as english } from '../sync-menu.ts'

export const syncMenuMessages: Translation<typeof english> = {
  menu: 'Abgleich',
  centre: 'Abgleich',
  lastContact: 'Zuletzt mit dem Server abgeglichen',
  never: 'noch nicht',
  notSent: 'Noch nicht gesendet',
  needAttention: 'Zu klären',
  rowsHere: 'Zeilen auf diesem Gerät',
  pause: 'Abgleich anhalten',
  resume: 'Abgleich fortsetzen',
  signIn: 'Anmelden',
  confirm: 'Bestätigen Sie, dass Sie es sind',
  tabAttention: 'Zu klären',
  decide: 'Klären',
  firstSync: 'Erster Abgleich',
  firstSyncRows: (done, total) => `${formatCount(done)} von ${formatCount(total)} Zeilen`,
  firstSyncStarting: 'Ihre Einträge werden gesucht',
  receiving: (percent) => (percent === undefined ? 'Empfängt' : `Empfängt ${percent} %`),
  noRowsYet: 'Noch keine Zeilen auf diesem Gerät',
  firstRowsOffline: 'Sie kommen, wenn eine Verbindung da ist.',
  firstRowsPaused: 'Sie haben den Abgleich auf diesem Gerät angehalten. Sie kommen, wenn Sie ihn fortsetzen.',
  firstRowsSignIn: 'Sie kommen, wenn Sie sich wieder angemeldet haben.',
  firstRowsSecondFactor: 'Sie kommen nach Ihrem zweiten Schritt.',
}
