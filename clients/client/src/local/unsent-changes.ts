/** Wiping would have lost changes that are nowhere else. Nothing happened. */
export class UnsentChanges extends Error {
  override readonly name = 'UnsentChanges'
  /** Operations in the outbox. */
  readonly waiting: number
  /** Refused changes without a decision. */
  readonly attention: number
  /** Files whose bytes are nowhere else. */
  readonly files: number

  constructor({ waiting, attention, files }: Readonly<Record<'waiting' | 'attention' | 'files', number>>) {
    super(`${waiting} changes and ${files} files have not been sent, and ${attention} changes wait for a decision.`)
    this.waiting = waiting
    this.attention = attention
    this.files = files
  }
}
