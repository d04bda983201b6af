import { icu, inLanguages } from '../lib/texts.ts'

export const inboxMessages = inLanguages('inboxMessages', {
  showAll: 'Show all',
  title: 'Inbox',
  filter: 'What to show',
  filters: { unread: 'Unread', mentions: 'Mentions', all: 'All' },
  markAll: 'Mark all as read',
  nothing: 'All caught up',
  nothingDetail: 'Mentions, comments on your work, what is assigned to you and what is due appear here.',
  nothingDetailAll: 'There was nothing for you in the last 30 days.',
  more: (count: number) => icu('and {count, number} more', { count }),
  unread: 'unread',
  unreadCount: (count: number) => icu('{count, number} unread', { count }),
  what: {
    mention: (who: string) => `${who} mentioned you`,
    comment: (who: string) => `${who} commented`,
    assigned: (who: string) => `${who} assigned this to you`,
    due: (_who: string) => 'Due',
    notice: (_who: string) => 'Automation',
  },
})
