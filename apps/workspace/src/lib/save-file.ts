/** Hands a text to the person as a file of the browser's downloads. */
export function saveFile(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** {@link saveFile} of bytes. */
export function saveBlob(name: string, bytes: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name.replaceAll(':', '')
  link.click()
  URL.revokeObjectURL(link.href)
}
