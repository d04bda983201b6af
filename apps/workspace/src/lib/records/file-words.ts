import type { FileProblem } from '@holdfast/client'
import { photoMessages as words } from '../../messages/photos.ts'
import { percentSent } from '../percent-sent.ts'
import { reasonOf } from '../photos/file-looks.ts'
import type { RecordMark, UnsentFiles } from './record-state.ts'

/** Photo status of a record whose other changes are all on the server. */
export interface FileWords {
  readonly text: string
  /** Separate from the announced text, because it changes often. */
  readonly percent: string | undefined
}

/** `undefined` if the mark concerns changes, or nothing. */
export function fileWords(mark: RecordMark | undefined): FileWords | undefined {
  if (!mark?.files || mark.item || mark.fields.size > 0) return undefined
  const { files } = mark
  const { recordSending, recordWaiting, recordRefused } =
    files.videos === 0
      ? words
      : {
          recordSending: words.recordFilesSending,
          recordWaiting: words.recordFilesWaiting,
          recordRefused: words.recordFilesRefused,
        }
  if (files.sending > 0) return { text: recordSending(files.sending + files.waiting), percent: percentOf(files) }
  if (files.waiting > 0) return { text: recordWaiting(files.waiting), percent: undefined }
  const problem = files.problem === null ? undefined : (JSON.parse(files.problem) as FileProblem)
  const reason = reasonOf({ problem })
  return { text: recordRefused(files.refused, reason), percent: undefined }
}

function percentOf({ bytes, sent_bytes: sent }: UnsentFiles): string {
  return words.percent(percentSent(sent, bytes))
}
