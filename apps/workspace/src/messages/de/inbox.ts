import { icu, type Translation } from '../../lib/texts.ts'
import type { inboxMessages as english } from '../inbox.ts'

export const inboxMessages: Translation<typeof english> = {
  showAll: 'Alle zeigen',
  title: 'Posteingang',
  filter: 'Was gezeigt wird',
  filters: { unread: 'Ungelesen', mentions: 'Erwähnungen', all: 'Alle' },
  markAll: 'Alle als gelesen markieren',
  nothing: 'Alles gelesen',
  nothingDetail:
    'Hier erscheinen Erwähnungen, Kommentare zu Ihrer Arbeit, was Ihnen zugewiesen wird und was fällig ist.',
  nothingDetailAll: 'In den letzten 30 Tagen war nichts für Sie dabei.',
  more: (count) => icu('und {count, number} weitere', { count }),
  unread: 'ungelesen',
  unreadCount: (count) => icu('{count, number} ungelesen', { count }),
  what: {
    mention: (who) => `${who} hat Sie erwähnt`,
    comment: (who) => `${who} hat kommentiert`,
    assigned: (who) => `${who} hat Ihnen das zugewiesen`,
    due: () => 'Fällig',
    notice: () => 'Automation',
  },
}
