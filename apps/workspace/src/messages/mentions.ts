import { icu, inLanguages } from '../lib/texts.ts'

export const mentionMessages = inLanguages('mentionMessages', {
  people: 'People to mention',
  suggested: (count: number) =>
    icu('{count, plural, one {# person} other {# people}} to mention. Arrows choose, Enter takes one.', { count }),
  newComment: 'new',
})
