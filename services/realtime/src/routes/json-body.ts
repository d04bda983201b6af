/** A request body, parsed and as text. */
export class JsonBody {
  readonly text: string
  readonly value: unknown

  constructor(text: string, value: unknown) {
    this.text = text
    this.value = value
  }
}
