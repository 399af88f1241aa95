// What an app may make of a list: here, in the page, or in the worker.

/** A copy of the rows, as whatever changes them makes one. */
export const copied = (rows) => rows.map((row) => row);

/** A Standard Schema that looks at two members of every row. */
export const listed = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value) => {
      const isListed = value.every(
        ({ id, customer }) => typeof id === 'number' && typeof customer === 'string',
      );
      return isListed ? { value } : { issues: [{ message: 'is no list of rows' }] };
    },
  },
};
