import { icu, type Translation } from '../../lib/texts.ts'
import type { mentionMessages as english } from '../mentions.ts'

export const mentionMessages: Translation<typeof english> = {
  people: 'Personen, die Sie erwähnen können',
  suggested: (count) =>
    icu(
      '{count, plural, one {# Person kann} other {# Personen können}} erwähnt werden. Pfeile wählen aus, Enter übernimmt.',
      { count },
    ),
  newComment: 'neu',
  unread: (count, mentions) =>
    mentions === 0
      ? icu('{count, plural, one {# neuer Kommentar} other {# neue Kommentare}}', { count })
      : icu('{count, plural, one {# neuer Kommentar} other {# neue Kommentare}}, Sie werden erwähnt', { count }),
  unreadCount: (count) => icu('{count, number} neu', { count }),
}
