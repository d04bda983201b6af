import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const boardMessages = inLanguages('boardMessages', {
  lanesBy: 'Lanes by',
  boardOf: (table: string) => `${table}, board`,
  lane: (name: string, count: number) => `${name}, ${formatCount(count)}`,
  noValue: 'No value',
  emptyLane: 'Nothing here. Drop a card here, or choose Move on one.',
  emptyLaneReadOnly: 'Nothing here.',
  more: (count: number) => `Show ${formatCount(count)} more`,
  move: (title: string) => `Move ${title}`,
  moveTo: 'Move to',
  moved: (title: string, lane: string) => `${title} moved to ${lane}`,
  notAllowed: 'not allowed',
  needsValue: 'needs a value',
  noLanes: 'This table has no field that makes lanes',
  noLanesDetail: 'A board needs a field with choices, a yes-or-no field or a link to another table.',
  lanesMany: (shown: number, all: number) =>
    icu('{shown, number} of {all, plural, one {# lane} other {# lanes}} are shown', { shown, all }),
  keys: 'Arrow keys go from card to card, Enter opens a card, M moves it, Alt with the left or right arrow moves it one lane.',
})
