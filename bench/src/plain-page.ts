/**
 * What the app is compared with: a page of forty cells that can be edited, as somebody would write it by hand, from bare Node in a process of its own. The
 * server itself shows no HTML but the app's. Prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ROWS = 10

const cells = Array.from({ length: ROWS }, (_, row) =>
  [`Replace the valve ${row + 1}`, `J-${String(row + 1).padStart(6, '0')}`, 'Open', '2026-11-24']
    .map((text) => `<td contenteditable>${text}</td>`)
    .join(''),
)
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Jobs</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>td { height: 44px; padding: 0 8px; border: 1px solid #ccc; font: 14px sans-serif }</style>
<table>${cells.map((row) => `<tr>${row}</tr>`).join('')}</table></html>`

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
