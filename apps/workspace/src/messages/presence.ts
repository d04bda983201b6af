import { inLanguages } from '../lib/texts.ts'

export const presenceMessages = inLanguages('presenceMessages', {
  alsoHere: (names: readonly string[]) => `Also here: ${names.join(', ')}`,
  alsoHereTitle: 'Also here',
  more: (count: number) => `and ${count} more`,
  editing: (names: readonly string[]) => {
    const [first = '', ...others] = names
    return others.length === 0 ? `${first} is editing` : `${first} and ${others.length} more are editing`
  },
  typing: (names: readonly string[]) => {
    const [first = '', second] = names
    if (names.length > 2) return `${first} and ${names.length - 1} others are typing …`
    return second === undefined ? `${first} is typing …` : `${first} and ${second} are typing …`
  },
})
