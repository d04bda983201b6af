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
}
