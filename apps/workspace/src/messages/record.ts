import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Records that an undo or redo left unchanged. */
interface RecordsLeft {
  /** The server had not accepted the change. */
  readonly refused: number
  /** They already had the values. */
  readonly already: number
}

export const recordMessages = inLanguages('recordMessages', {
  nothingToUndo: 'Nothing to undo in this tab',
  nothingToRedo: 'Nothing to redo',
  undone: (label: string, left: RecordsLeft) => `Undone: ${label}${leftAlone(left)}`,
  redone: (label: string, left: RecordsLeft) => `Done again: ${label}${leftAlone(left)}`,
  tooMany: (count: number, max: number) =>
    `${formatCount(count)} changes at once are too many; at most ${formatCount(max)} go together`,
  changedTitle: 'Changed since',
  changedDetail: (count: number, label: string) =>
    icu(
      '{count, plural, one {# record} other {# records}} of “{label}” {count, plural, one {has} other {have}} been changed since. Continuing overwrites the later change.',
      { count, label },
    ),
  undoAnyway: 'Undo anyway',
  redoAnyway: 'Do it again anyway',
  keepLater: 'Keep the later change',
  notDone: (label: string, reason: string) => `Not saved (${label}). ${reason}`,
  notUndone: (label: string, reason: string) => `Can’t undo ${label}. ${reason}`,
  notRedone: (label: string, reason: string) => `Can’t redo ${label}. ${reason}`,
  undo: 'Undo',
  undoLaterFirst: 'Other changes followed. Undo them first.',
  anUndo: 'undo',
  aRedo: 'redo',

  changeOf: (field: string, count: number, one: string, many: string) =>
    count === 1
      ? `change of ${field}`
      : icu('change of {field} in {count, plural, one {# {one}} other {# {many}}}', { field, count, one, many }),
  pasteOf: (cells: number) => icu('paste of {cells, plural, one {# cell} other {# cells}}', { cells }),
  clearOf: (cells: number) => icu('clearing of {cells, plural, one {# cell} other {# cells}}', { cells }),
  cellsOf: (cells: number) => icu('change of {cells, plural, one {# cell} other {# cells}}', { cells }),
  fillOf: (cells: number) => icu('fill of {cells, plural, one {# cell} other {# cells}}', { cells }),
  newOf: (noun: string) => `new ${noun}`,
  deletionOf: (count: number, one: string, many: string) =>
    icu('deletion of {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),
  deleted: (count: number, one: string, many: string) =>
    icu('Deleted {count, plural, one {# {one}} other {# {many}}}', { count, one, many }),

  panel: (noun: string) => `Record: ${noun}`,
  close: 'Close the record',
  fullPage: 'Open on its own page',
  backToTable: (table: string) => `Back to ${table}`,
  previous: 'Previous record',
  next: 'Next record',
  more: 'More',
  copyLink: 'Copy the link',
  copied: 'Copied',
  delete: (noun: string) => `Delete this ${noun}`,
  fields: 'Fields',
  linked: 'Linked records',
  comments: 'Comments',
  whoAndWhen: 'People and dates',
  system: 'Automatic',
  tabs: 'Parts of the record',

  savedHere: (time: string | undefined) =>
    time === undefined ? 'Saved on this device' : `Saved on this device ${time}`,
  notSent: 'not sent yet',
  sending: 'sending',
  confirming: 'accepted, confirming',
  accepted: 'accepted by the server',
  synced: 'On this device and on the server',
  heldWords: 'Waits for the change before it',
  rejectedWords: 'Not accepted by the server',

  rejectedTitle: 'The server did not accept your change',
  heldTitle: 'This change waits for one that was not accepted',
  decide: 'Decide in the Sync centre',
  yourFields: (names: string) => `Your values of ${names} are kept.`,

  goneTitle: 'This record is not on this device',
  goneDetail: 'It was deleted, or it is no longer visible to you.',
  commentUnsent: 'Your comment was not sent',
  goneWithChange: 'Your change to it is kept in the Sync centre.',

  draft: 'Draft',
  draftLead: (noun: string) => `This ${noun} is a draft on this device. It becomes a record when you create it.`,
  create: (noun: string) => `Create ${noun}`,
  createAnyway: 'Create it anyway',
  discardDraft: 'Discard the draft',
  missing: (names: string) => `Still needed: ${names}`,
  newTitle: (noun: string) => `New ${noun}`,

  readOnly: 'You can read this table but not change it.',
  noLinks: 'No other record links to this one.',
  showAll: (count: number) => `Show all ${formatCount(count)}`,
  via: (label: string) => `by ${label}`,

  commentLabel: 'Comment',
  commentPlaceholder: 'Write a comment',
  addComment: 'Add comment',
  noComments: 'No comments yet',
  noCommentsDetail: 'Start the conversation. Comments sync automatically.',
  commentDeleted: 'This comment was deleted.',
  commentEdited: 'edited',
  commentTooLong: (max: number) => `At most ${formatCount(max)} characters`,
  you: 'You',
  someone: 'Someone',
  commentBy: (author: string) => `Comment by ${author}`,
  newComment: 'new comment',
})

function leftAlone({ refused, already }: RecordsLeft): string {
  const parts = [
    refused > 0
      ? icu(
          'The server had not accepted it for {refused, plural, one {# record} other {# records}}, so nothing changes there.',
          { refused },
        )
      : undefined,
    already > 0
      ? icu('{already, plural, one {# record} other {# records}} already had these values.', { already })
      : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? '' : `. ${parts.join(' ')}`
}
