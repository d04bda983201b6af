import type { CopiedCells } from './copied-cells.ts'

/** Puts cells on the clipboard as text, and as HTML, which spreadsheets prefer: no cell becomes a formula there. */
export async function writeClipboard({ text, html }: CopiedCells): Promise<boolean> {
  try {
    const parts = { 'text/plain': text, 'text/html': html }
    const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })])
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
    return true
  } catch {
    return false
  }
}
