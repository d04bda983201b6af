/** Wiping would have lost changes that are nowhere else. Nothing happened. */
export class UnsentChanges extends Error {
  override readonly name = 'UnsentChanges'
  /** Operations in the outbox. */
  readonly waiting: number
  /** Refused changes without a decision. */
  readonly attention: number

  constructor({ waiting, attention }: { readonly waiting: number; readonly attention: number }) {
    super(`${waiting} changes have not been sent, and ${attention} wait for a decision.`)
    this.waiting = waiting
    this.attention = attention
  }
}
