import { formatCount, plural } from '../lib/format.ts'

export const boardMessages = {
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
  lanesMany: (shown: number, all: number) => `${formatCount(shown)} of ${plural(all, 'lane')} are shown`,
  keys: 'Arrow keys go from card to card, Enter opens a card, M moves it, Alt with the left or right arrow moves it one lane.',
} as const
