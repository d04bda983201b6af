import { icu, inLanguages } from '../lib/texts.ts'

export const mentionMessages = inLanguages('mentionMessages', {
  people: 'People to mention',
  suggested: (count: number) =>
    icu('{count, plural, one {# person} other {# people}} to mention. Arrows choose, Enter takes one.', { count }),
  newComment: 'new',
  unread: (count: number, mentions: number) =>
    mentions === 0
      ? icu('{count, plural, one {# new comment} other {# new comments}}', { count })
      : icu('{count, plural, one {# new comment} other {# new comments}}, you are mentioned', { count }),
  unreadCount: (count: number) => icu('{count, number} new', { count }),
})
