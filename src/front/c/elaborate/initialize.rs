//! Initialisers, with and without braces and designators (C11 6.7.9).

use super::super::clean::spelling;
use super::super::opaque::Opaque;
use super::super::typed::{Expr, ExprKind, Initializer, InitializerItem};
use super::super::types::{Length, Qualified, Type};
use super::expression::Operand;
use super::literal::string_literal;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;

/// Elements that one designator range or array may initialise.
const MAX_ELEMENTS: u64 = 1 << 16;

/// A part of the object: where it starts, in bits, and what it is.
#[derive(Clone)]
struct Part {
    ty: Type,
    offset: u64,
    bits: Option<u32>,
}

/// The way to the part that the next item without designator goes to: aggregates from the
/// outside to the inside, each with the number of its current child.
type Cursor = Vec<(Part, u64)>;

/// How an item of a list gets to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// After all items before it.
    Sequential,
    /// By a designator.
    Designated,
    /// After an item that a designator has put anywhere.
    Anywhere,
}

/// The elements that `[from ... to]` names, and how deep in the cursor their array is.
struct Range {
    depth: usize,
    from: u64,
    to: u64,
}

impl<'a> Elaborator<'a> {
    /// The type, completed if it is an array without length, and the values of the parts.
    pub(super) fn initializer(
        &mut self,
        ty: &Qualified,
        node: &'a Node<ast::Initializer>,
    ) -> Result<(Type, Initializer)> {
        let span = self.span(node.span);
        match &node.node {
            ast::Initializer::List(items) => self.initializer_list(ty, items, span),
            ast::Initializer::Expression(expression) => {
                if let Some(string) = self.string_for(&ty.ty, expression) {
                    return Ok(self.string_initializer(&ty.ty, string, span));
                }
                if matches!(ty.ty, Type::Array(..)) {
                    return Err(self.error(span, "an array is initialised with braces"));
                }
                let value = self.expr(expression)?;
                // The static initialisers of headers are braces; a plain 0 does as well.
                let to = match &ty.ty {
                    Type::Opaque(_) => Type::INT,
                    other => other.clone(),
                };
                let value = self.convert(value, &to, span)?;
                let items = vec![InitializerItem {
                    offset: 0,
                    bits: None,
                    value,
                }];
                let zero_rest = false;
                Ok((ty.ty.clone(), Initializer { zero_rest, items }))
            }
        }
    }

    pub(super) fn initializer_list(
        &mut self,
        ty: &Qualified,
        items: &'a [Node<ast::InitializerListItem>],
        span: Span,
    ) -> Result<(Type, Initializer)> {
        let mut initializer = Initializer {
            zero_rest: true,
            items: Vec::new(),
        };
        let part = Part {
            ty: ty.ty.clone(),
            offset: 0,
            bits: None,
        };
        let elements = self.braced(&part, items, span, &mut initializer.items)?;
        let complete = match &ty.ty {
            Type::Array(element, Length::Unknown) => {
                Type::Array(element.clone(), Length::Known(elements))
            }
            other => other.clone(),
        };
        Ok((complete, initializer))
    }

    /// Initialises a part from a list in braces; the number of array elements.
    fn braced(
        &mut self,
        part: &Part,
        items: &'a [Node<ast::InitializerListItem>],
        span: Span,
        out: &mut Vec<InitializerItem>,
    ) -> Result<u64> {
        match &part.ty {
            Type::Opaque(_) => {
                out.push(self.opaque_initializer(part, items, span)?);
                return Ok(0);
            }
            Type::Array(..) => {
                // `char s[] = { "abc" }`
                if let [only] = items
                    && let ast::Initializer::Expression(expression) = &only.node.initializer.node
                    && let Some(string) = self.string_for(&part.ty, expression)
                {
                    let (complete, string) = self.string_initializer(&part.ty, string, span);
                    self.append(part, string, out);
                    return Ok(match complete {
                        Type::Array(_, Length::Known(length)) => length,
                        _ => 0,
                    });
                }
            }
            Type::Record(_) => {}
            _ => {
                if let Some(item) = items.first() {
                    self.initialize_part(part, &item.node.initializer, out)?;
                }
                return Ok(0);
            }
        }
        let mut cursor: Cursor = vec![(part.clone(), 0)];
        let mut elements = 0;
        let mut any_designated = false;
        for item in items {
            let item_span = self.span(item.span);
            let designation = &item.node.designation;
            let designated = !designation.is_empty();
            let mut range = None;
            if designated {
                range = self.designate(&mut cursor, part, designation, item_span)?;
                any_designated = true;
            }
            let order = match (designated, any_designated) {
                (true, _) => Order::Designated,
                (false, true) => Order::Anywhere,
                (false, false) => Order::Sequential,
            };
            let value = &item.node.initializer;
            match range {
                Some(range) => {
                    self.range_initializer(&mut cursor, &range, value, out, item_span)?;
                }
                None => self.next_item(&mut cursor, value, order, out, item_span)?,
            }
            // An element that still lacks some of its parts counts too.
            let begun = u64::from(cursor.len() > 1);
            elements = elements.max(cursor[0].1 + begun);
        }
        Ok(elements)
    }

    /// Gives the value to the part under the cursor, descending into aggregates that have no
    /// braces of their own, and moves on.
    fn next_item(
        &mut self,
        cursor: &mut Cursor,
        node: &'a Node<ast::Initializer>,
        order: Order,
        out: &mut Vec<InitializerItem>,
        span: Span,
    ) -> Result<()> {
        if order != Order::Designated {
            // Leave aggregates that are full.
            while cursor.len() > 1 && self.child(cursor).is_none() {
                cursor.pop();
                if let Some(last) = cursor.last_mut() {
                    last.1 += 1;
                }
            }
        }
        let Some(mut child) = self.child(cursor) else {
            // gcc warns about excess elements and ignores them.
            return Err(self.error(span, "more values than there are parts to initialise"));
        };
        let has_braces = matches!(node.node, ast::Initializer::List(_));
        let whole = !has_braces && self.initializes_whole(&child.ty, node)?;
        while !has_braces && !whole && is_aggregate(&child.ty) {
            cursor.push((child.clone(), 0));
            match self.child(cursor) {
                Some(next) => child = next,
                None => return Err(self.error(span, "an empty structure is initialised")),
            }
            if self.initializes_whole(&child.ty, node)? {
                break;
            }
        }
        if order != Order::Sequential {
            self.override_part(&child, out);
        }
        self.initialize_part(&child, node, out)?;
        if let Some(last) = cursor.last_mut() {
            last.1 += 1;
        }
        // The outermost counter counts elements of an array without length.
        while cursor.len() > 1 && self.child(cursor).is_none() {
            cursor.pop();
            if let Some(last) = cursor.last_mut() {
                last.1 += 1;
            }
        }
        Ok(())
    }

    /// Whether an expression is the value of a whole aggregate: a structure of its type or a
    /// string for an array of characters.
    fn initializes_whole(&mut self, ty: &Type, node: &'a Node<ast::Initializer>) -> Result<bool> {
        let ast::Initializer::Expression(expression) = &node.node else {
            return Ok(true);
        };
        match ty {
            Type::Array(..) => Ok(self.string_for(ty, expression).is_some()),
            Type::Record(_) => Ok(self.type_of(expression)?.ty == *ty),
            _ => Ok(true),
        }
    }

    fn initialize_part(
        &mut self,
        part: &Part,
        node: &'a Node<ast::Initializer>,
        out: &mut Vec<InitializerItem>,
    ) -> Result<()> {
        let span = self.span(node.span);
        match &node.node {
            ast::Initializer::List(items) => {
                self.braced(part, items, span, out)?;
            }
            ast::Initializer::Expression(expression) => {
                if let Some(string) = self.string_for(&part.ty, expression) {
                    let (_, string) = self.string_initializer(&part.ty, string, span);
                    self.append(part, string, out);
                    return Ok(());
                }
                let to = match &part.ty {
                    Type::Opaque(_) => Type::INT,
                    other => other.clone(),
                };
                let value = self.expr(expression)?;
                let value = self.convert(value, &to, span)?;
                out.push(InitializerItem {
                    offset: part.offset,
                    bits: part.bits,
                    value,
                });
            }
        }
        Ok(())
    }

    /// What an earlier item gave to the part, or to something in it, does not count any more.
    fn override_part(&self, part: &Part, out: &mut Vec<InitializerItem>) {
        if is_aggregate(&part.ty) {
            let bits = 8 * self.types.size(&part.ty).unwrap_or(0);
            let inside = part.offset..part.offset + bits;
            out.retain(|item| !inside.contains(&item.offset));
        }
    }

    fn append(&mut self, part: &Part, initializer: Initializer, out: &mut Vec<InitializerItem>) {
        out.extend(initializer.items.into_iter().map(|item| InitializerItem {
            offset: part.offset + item.offset,
            ..item
        }));
    }

    /// The part that the cursor is at; `None` if the innermost aggregate is full.
    fn child(&self, cursor: &Cursor) -> Option<Part> {
        let (parent, index) = cursor.last()?;
        self.child_of(parent, *index)
    }

    fn child_of(&self, parent: &Part, index: u64) -> Option<Part> {
        match &parent.ty {
            Type::Array(element, length) => {
                let size = 8 * self.types.size(&element.ty)?;
                let in_range = match length {
                    Length::Known(length) => index < *length,
                    _ => index < MAX_ELEMENTS,
                };
                in_range.then(|| Part {
                    ty: element.ty.clone(),
                    offset: parent.offset + index * size,
                    bits: None,
                })
            }
            Type::Record(record) => {
                let record = self.types.record(*record);
                // Only the first member of a union is initialised without a designator.
                if record.is_union && index > 0 {
                    return None;
                }
                let fields = record.fields.as_ref()?;
                let field = fields.get(usize::try_from(index).ok()?)?;
                Some(Part {
                    ty: field.ty.ty.clone(),
                    offset: parent.offset + field.offset,
                    bits: field.bits,
                })
            }
            _ => None,
        }
    }

    /// Sets the cursor to what a designation names. A union's member is reached by leaving
    /// the union's place to the member itself. The result is the range that it names, if any.
    fn designate(
        &mut self,
        cursor: &mut Cursor,
        root: &Part,
        designation: &'a [Node<ast::Designator>],
        span: Span,
    ) -> Result<Option<Range>> {
        cursor.clear();
        let mut part = root.clone();
        let mut named = None;
        for designator in designation {
            match &designator.node {
                ast::Designator::Index(index) => {
                    let index = self.designated_index(index, span)?;
                    cursor.push((part.clone(), index));
                }
                ast::Designator::Range(range) => {
                    let from = self.designated_index(&range.node.from, span)?;
                    let to = self.designated_index(&range.node.to, span)?;
                    let depth = cursor.len();
                    if named.replace(Range { depth, from, to }).is_some() {
                        return Err(self.unsupported(span, "a range in a range"));
                    }
                    cursor.push((part.clone(), from));
                }
                ast::Designator::Member(name) => {
                    let name = spelling(&name.node.name);
                    let path = match &part.ty {
                        Type::Record(record) => self.find_field(*record, &name),
                        _ => None,
                    };
                    let Some(path) = path else {
                        return Err(self.error(span, format!("there is no field `{name}`")));
                    };
                    for (position, (record, index)) in path.iter().enumerate() {
                        if position > 0 {
                            part = self.member_part(cursor, span)?;
                        }
                        let is_union = self.types.record(*record).is_union;
                        if is_union && *index > 0 {
                            // A view of the union that has only this member.
                            let fields = self.types.record(*record).fields.as_deref();
                            let field = fields.unwrap_or(&[])[*index].clone();
                            let inner = Part {
                                ty: Type::Array(std::rc::Rc::new(field.ty), Length::Known(1)),
                                offset: part.offset,
                                bits: None,
                            };
                            cursor.push((inner, 0));
                        } else {
                            cursor.push((part.clone(), *index as u64));
                        }
                    }
                }
            }
            part = self.member_part(cursor, span)?;
        }
        Ok(named)
    }

    fn member_part(&mut self, cursor: &Cursor, span: Span) -> Result<Part> {
        match self.child(cursor) {
            Some(part) => Ok(part),
            None => Err(self.error(span, "this designates nothing in the object")),
        }
    }

    fn designated_index(&mut self, node: &'a Node<ast::Expression>, span: Span) -> Result<u64> {
        let value = self.constant_expression(node)?;
        match u64::try_from(value) {
            Ok(index) if index < MAX_ELEMENTS => Ok(index),
            _ => Err(self.error(span, "this index is out of range")),
        }
    }

    /// The same value for a part of each element of a range.
    fn range_initializer(
        &mut self,
        cursor: &mut Cursor,
        range: &Range,
        node: &'a Node<ast::Initializer>,
        out: &mut Vec<InitializerItem>,
        span: Span,
    ) -> Result<()> {
        let first = self.member_part(cursor, span)?;
        let elements = cursor[range.depth].0.clone();
        let start = |this: &Self, index| this.child_of(&elements, index).map(|part| part.offset);
        let mut distance = 0;
        for index in range.from..=range.to {
            let (Some(here), Some(from)) = (start(self, index), start(self, range.from)) else {
                return Err(self.error(span, "this designates nothing in the object"));
            };
            distance = here - from;
            let part = Part {
                offset: first.offset + distance,
                ..first.clone()
            };
            self.override_part(&part, out);
            self.initialize_part(&part, node, out)?;
        }
        // What follows without a designator comes after the last of them.
        cursor[range.depth].1 = range.to;
        for (part, _) in &mut cursor[range.depth + 1..] {
            part.offset += distance;
        }
        if let Some(last) = cursor.last_mut() {
            last.1 += 1;
        }
        Ok(())
    }

    /// The bytes of a string literal that initialises an array of characters.
    fn string_for(&self, ty: &Type, node: &Node<ast::Expression>) -> Option<Vec<u8>> {
        let Type::Array(element, _) = ty else {
            return None;
        };
        if self.types.size(&element.ty) != Some(1) || !element.ty.is_integer() {
            return None;
        }
        match &node.node {
            ast::Expression::StringLiteral(parts) => string_literal(&parts.node),
            _ => None,
        }
    }

    fn string_initializer(&self, ty: &Type, mut bytes: Vec<u8>, span: Span) -> (Type, Initializer) {
        bytes.push(0);
        let Type::Array(element, length) = ty else {
            return (ty.clone(), Initializer::default());
        };
        let length = match length {
            Length::Known(length) => *length,
            _ => bytes.len() as u64,
        };
        let items = bytes
            .iter()
            .take(usize::try_from(length).unwrap_or(usize::MAX))
            .enumerate()
            .map(|(index, &byte)| InitializerItem {
                offset: 8 * index as u64,
                bits: None,
                value: Expr {
                    ty: element.ty.clone(),
                    span,
                    kind: ExprKind::Int(match self.types.is_signed(&element.ty) {
                        true => i128::from(byte as i8),
                        false => i128::from(byte),
                    }),
                },
            })
            .collect();
        let ty = Type::Array(element.clone(), Length::Known(length));
        let zero_rest = true;
        (ty, Initializer { zero_rest, items })
    }

    /// A static initialiser of a type from pthread.h: the number that is not zero in it, if
    /// there is one, is the kind of a mutex or the count of something.
    fn opaque_initializer(
        &mut self,
        part: &Part,
        items: &'a [Node<ast::InitializerListItem>],
        span: Span,
    ) -> Result<InitializerItem> {
        let mut kind = 0;
        for item in items {
            let value = match &item.node.initializer.node {
                ast::Initializer::Expression(expression) => match self.operand(expression)? {
                    Operand::Value(expr) => self.evaluate(&expr).unwrap_or(0),
                    _ => 0,
                },
                ast::Initializer::List(inner) => {
                    match self.opaque_initializer(part, inner, span)?.value.kind {
                        ExprKind::Int(value) => value,
                        _ => 0,
                    }
                }
            };
            if value != 0 {
                kind = value;
            }
        }
        self.mutex_kinds |= kind != 0 && part.ty == Type::Opaque(Opaque::Mutex);
        Ok(InitializerItem {
            offset: part.offset,
            bits: None,
            value: Expr {
                ty: Type::INT,
                span,
                kind: ExprKind::Int(kind),
            },
        })
    }
}

fn is_aggregate(ty: &Type) -> bool {
    matches!(ty, Type::Array(..) | Type::Record(_))
}
