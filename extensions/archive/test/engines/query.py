# Runs SQL statements from standard input, a JSON list, with the given engine, and prints the rows of the last one.

import json
import sys

statements = json.load(sys.stdin)
if sys.argv[1] == "duckdb":
    import duckdb

    database = duckdb.connect()
    for statement in statements[:-1]:
        database.execute(statement)
    rows = database.execute(statements[-1]).fetchall()
else:
    from chdb import session

    database = session.Session()
    for statement in statements[:-1]:
        database.query(statement)
    rows = json.loads(str(database.query(statements[-1], "JSONCompact")))["data"]
print(json.dumps([[None if cell is None else str(cell) for cell in row] for row in rows]))
