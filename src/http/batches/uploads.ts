/** Each upload holds a connection, and up to one chunk of rows in memory. A customer may have many keys. */
export const UPLOADS = {
  most: 16,
  mostEach: 4,
  messages: { each: 'this client sends 4 batches already', all: 'too many batches are being sent' },
};
