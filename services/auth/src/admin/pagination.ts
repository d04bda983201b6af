import type { FastifyReply } from 'fastify'
import { validationFailed } from '../errors.ts'
import { ADMIN_PAGE_ROWS, ADMIN_PAGE_ROWS_MAX } from '../limits.ts'

/** The requested page of a list. */
export interface Page {
  /** Starting at 1. */
  readonly number: number
  readonly rows: number
}

/**
 * @param query - `page` and `per_page` of the URL; empty for the defaults
 * @throws {HoldfastError} `validation_failed`
 */
export function parsePage(query: { readonly page?: string; readonly per_page?: string }): Page {
  const number = parseCount('page', query.page) || 1
  const rows = parseCount('per_page', query.per_page) || ADMIN_PAGE_ROWS
  if (rows > ADMIN_PAGE_ROWS_MAX) throw badPage(`per_page is at most ${ADMIN_PAGE_ROWS_MAX}`)
  return { number, rows }
}

/** Returns the number of rows before the page. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.rows
}

/**
 * Adds headers with the total number of rows and the URLs of the next and last pages. `page` comes first in these URLs, because auth-js
 * takes the first number it finds as the page.
 *
 * @param url - of the request
 * @param total - rows of the whole list
 */
export function addPageHeaders(reply: FastifyReply, url: string, page: Page, total: number): void {
  const last = Math.ceil(total / page.rows)
  const links = [
    ...(last > page.number ? [`<${pageUrl(url, page.number + 1)}>; rel="next"`] : []),
    `<${pageUrl(url, last)}>; rel="last"`,
  ]
  reply.headers({ link: links.join(', '), 'x-total-count': String(total) })
}

function pageUrl(url: string, number: number): string {
  const [path = '', query = ''] = url.split('?', 2)
  const others = [...new URLSearchParams(query)].filter(([name]) => name !== 'page' && name !== 'apikey')
  return `${path}?${new URLSearchParams([['page', String(number)], ...others]).toString()}`
}

function parseCount(name: string, text: string | undefined): number {
  if (text === undefined || text === '') return 0
  if (!/^\d{1,9}$/.test(text)) throw badPage(`${name} has to be a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}

function badPage(reason: string): Error {
  return validationFailed(`Bad Pagination Parameters: ${reason}`)
}
