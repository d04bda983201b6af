import type { FileProblem } from '@holdfast/client'
import { photoMessages as words } from '../../messages/photos.ts'
import { percentSent } from '../percent-sent.ts'
import { reasonOf } from '../photos/file-looks.ts'
import type { RecordMark, UnsentFiles } from './record-state.ts'

/** What a record's mark says of its photos, when they are all that is not on the server. */
export interface FileWords {
  readonly text: string
  /** Apart from the text, which is read out: it changes many times. */
  readonly percent: string | undefined
}

/** `undefined`: the mark tells of changes, or of nothing. */
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
