/** A number with a currency or a percent sign, as files write it. */
export interface MarkedNumber {
  /** ISO 4217, or `%`. */
  readonly mark: string
  /** The digits with their separators and sign. */
  readonly bare: string
  /** How it is written around the digits: `-$#` and `$#` are two forms. */
  readonly form: string
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '₹': 'INR' }
/** Currencies that files name by their code. Others are also words, such as `CUP` and `TOP`. */
const CODES =
  'EUR|USD|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|INR|CNY|HKD|SGD|KRW|BRL|MXN|ZAR|ILS|AED|SAR'
const CURRENCY = `[€$£₹]|${CODES}`
const SPACE = '[ \\u00a0\\u202f]?'
const MARKED = new RegExp(
  `^([-+\\u2212]?)((?:${CURRENCY})${SPACE})?([-+\\u2212]?\\d(?:[\\d.,' \\u00a0\\u202f]*\\d)?)(${SPACE}(?:%|${CURRENCY}))?$`,
)

/** Parses `1.234,50 €`, `-$5.00`, `EUR 12` and `7.5 %`. @returns `undefined` for anything else, such as a number without or with two marks */
export function markedNumberOf(text: string): MarkedNumber | undefined {
  const [, sign = '', before = '', number = '', after = ''] = MARKED.exec(text) ?? []
  if ((before === '') === (after === '') || (sign !== '' && /^[-+\u2212]/.test(number))) return undefined
  const mark = (before + after).replaceAll(/[ \u00a0\u202f]/g, '')
  return { mark: SIGNS[mark] ?? mark, bare: sign + number, form: `${sign}${before}#${after}` }
}

/** Returns a number without its mark; other texts stay. */
export function withoutMark(text: string): string {
  return markedNumberOf(text)?.bare ?? text
}

/** Numbers by decimal separator. */
const NUMBERS = {
  '.': /^[-+\u2212]?(\d+|[1-9]\d{0,2}([,' \u00a0\u202f]\d{3})+)(\.\d+)?$/,
  ',': /^[-+\u2212]?(\d+|[1-9]\d{0,2}([.' \u00a0\u202f]\d{3})+)(,\d+)?$/,
} as const

/** Finds out whether numbers are written in one form throughout, so that the digits say what each text was. */
export class FormTally {
  readonly #forms: readonly [Set<string>, Set<string>] = [new Set(), new Set()]
  readonly #groups = new Set<string>()
  #isOther = false

  /** @param decimal - the file's decimal separator */
  add({ bare, form }: MarkedNumber, decimal: string): void {
    this.#forms[/^[-\u2212]/.test(bare) ? 1 : 0].add(form)
    const [, group] = /^[-+\u2212]?\d{1,3}(\D)\d{3}(?!\d)/.exec(bare) ?? []
    if (group !== undefined && group !== decimal) this.#groups.add(group)
    else if (/^[-+\u2212]?\d{4}/.test(bare)) this.#groups.add('')
    if (!NUMBERS[decimal === ',' ? ',' : '.'].test(bare)) this.#isOther = true
  }

  get isOne(): boolean {
    return !this.#isOther && this.#forms.every(({ size }) => size <= 1) && this.#groups.size <= 1
  }
}
