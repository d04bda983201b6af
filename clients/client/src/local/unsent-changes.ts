/** A wipe would have lost unsent changes. Nothing was done. */
export class UnsentChanges extends Error {
  override readonly name = 'UnsentChanges'
  /** Operations in the outbox. */
  readonly waiting: number
  /** Rejected changes without a decision. */
  readonly attention: number
  /** Files with unsent bytes. */
  readonly files: number

  constructor({ waiting, attention, files }: Readonly<Record<'waiting' | 'attention' | 'files', number>>) {
    super(`${waiting} changes and ${files} files have not been sent, and ${attention} changes need a decision.`)
    this.waiting = waiting
    this.attention = attention
    this.files = files
  }
}
