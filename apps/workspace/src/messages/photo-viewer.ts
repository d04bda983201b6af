import { inLanguages } from '../lib/texts.ts'

/** Texts of an enlarged photo. */
export const photoViewerMessages = inLanguages('photoViewerMessages', {
  viewer: 'Photo',
  previous: 'Previous photo',
  next: 'Next photo',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  close: 'Close',
  caption: 'Caption',
  captionNotStored: 'Not stored: this device is full. Free up space, then leave the field again.',
  captionHint: 'Say what can be seen',
  delete: 'Delete',
  deleteTitle: 'Delete this photo?',
  deleteDetail: 'It is deleted for everyone, on every device.',
  deleted: 'Photo deleted',
})
