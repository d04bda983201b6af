import { icu, type Translation } from '../../lib/texts.ts'
import type { coachMessages as english } from '../coach.ts'

export const coachMessages: Translation<typeof english> = {
  title: 'Erste Schritte',
  progress: (done, all) => icu('{done, number} von {all, number} erledigt', { done, all }),
  hide: 'Diese Schritte ausblenden',
  isDone: 'Erledigt',
  allDone: 'Alles ist eingerichtet',
  allDoneDetail: 'Alles Weitere finden Sie in den Menüs und in der Palette (Strg K).',
  steps: {
    record: {
      title: 'Einen Eintrag hinzufügen',
      detail: 'Er ist sofort auf diesem Gerät gespeichert.',
      action: 'Eintrag hinzufügen',
    },
    invite: { title: 'Jemanden einladen', detail: 'Per Mail, Link oder QR-Code.', action: 'Zu den Personen' },
    phone: {
      title: 'Auf dem Telefon öffnen',
      detail: 'Melden Sie sich dort mit demselben Konto an.',
      action: 'Code zeigen',
    },
    offline: {
      title: 'Ohne Verbindung arbeiten',
      detail:
        'Schalten Sie das Netz aus, und ändern Sie einen Eintrag. Er wird gesendet, sobald Sie wieder verbunden sind.',
      action: '',
    },
  },
  phoneTitle: 'Auf dem Telefon öffnen',
  phoneDetail: 'Scannen Sie den Code, melden Sie sich an, und legen Sie die Seite auf den Startbildschirm.',
  address: 'Adresse',
  qr: 'QR-Code dieses Servers',
}
