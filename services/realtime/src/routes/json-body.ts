/** The body of a request as it was written, and parsed. */
export class JsonBody {
  readonly text: string
  readonly value: unknown

  constructor(text: string, value: unknown) {
    this.text = text
    this.value = value
  }
}
