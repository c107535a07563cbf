"""Writes orders.parquet with pyarrow, an implementation other than the one that reads it."""

from datetime import date, datetime, timezone
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

at = [datetime(2013, 1, 1, 10, 0, i, 250_000 * (i % 2)) for i in range(6)]
tenants = ["acme", "globex", "acme", None, "", "acme"]
columns = {
    "tenant": pa.array(tenants, pa.string()).dictionary_encode(),
    "order": pa.array([1, -2, None, 4, 5, 9_223_372_036_854_775_807], pa.int64()),
    "size": pa.array([10, 20, 30, 40, 50, 4_294_967_295], pa.uint32()),
    "small": pa.array([-1, 2, 3, 4, 5, 6], pa.int8()),
    "unsigned": pa.array([18_446_744_073_709_551_615, 2, 3, 4, 5, 6], pa.uint64()),
    "at_ms": pa.array([t.replace(tzinfo=timezone.utc) for t in at], pa.timestamp("ms", tz="UTC")),
    "at_us": pa.array(at, pa.timestamp("us")),
    "at_ns": pa.array(at, pa.timestamp("ns")),
    "day": pa.array([date(2013, 1, i + 1) for i in range(6)], pa.date32()),
    "price": pa.array([Decimal("0.05"), Decimal("-1.50"), None, Decimal(7), Decimal(8), Decimal(9)], pa.decimal128(9, 2)),
    "amount": pa.array([Decimal("-123456789012345678901234.5678")] + [None] * 5, pa.decimal128(30, 4)),
    "ratio": pa.array([0.1, 120.0, None, 1e21, 5.0, -0.5], pa.float64()),
    "paid": pa.array([True, False, None, True, True, True], pa.bool_()),
    "raw": pa.array([b"\xff\x00", b"", None, b"c", b"d", b"e"], pa.binary()),
    "id": pa.array([UUID(int=i).bytes for i in range(6)], pa.uuid()),
    "half": pa.array([1.0] * 6, pa.float16()),
    "packed": pa.array(["p"] * 6, pa.string()),
    "tags": pa.array([["a", "b"], [], None, ["c"], ["d"], ["e"]], pa.list_(pa.string())),
    "place": pa.array([{"city": "Bern"}, {"city": None}, None] + [{"city": "Ulm"}] * 3, pa.struct([("city", pa.string())])),
}
compression = {"tenant": "snappy", "order": "zstd", "size": "gzip", "at_ms": "lz4", "packed": "brotli"}
leaves = {"tags": "tags.list.element", "place": "place.city"}
pq.write_table(
    pa.table(columns),
    "orders.parquet",
    row_group_size=4,
    data_page_version="2.0",
    use_dictionary=["tenant"],
    store_schema=False,
    compression={leaves.get(name, name): compression.get(name, "none") for name in columns},
)
